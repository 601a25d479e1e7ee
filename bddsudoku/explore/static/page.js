// The local page: the component with a model that asks the server.
import board, { serverModel } from "./board.js";

const model = await serverModel(".");
board.render({ model, el: document.getElementById("board") });
