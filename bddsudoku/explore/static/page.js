// The local page: the component with a model that asks the server.
import board from "./board.js";
import { serverModel } from "./models.js";

const model = await serverModel(".");
board.render({ model, el: document.getElementById("board") });
