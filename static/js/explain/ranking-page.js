import { followDocuments } from "./lit-document.js";

followDocuments();
