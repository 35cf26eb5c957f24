// The script of the rating screen that shows all documents of a query.
import { ListScreen } from "./list-screen.js";

export const screen = new ListScreen(document.getElementById("judge"));
screen.start();
