// The script of the rating screen that shows one document at a time.
import { DocumentScreen } from "./document-screen.js";

export const screen = new DocumentScreen(document.getElementById("judge"));
screen.start();
