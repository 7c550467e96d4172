import { serveSerially } from "../../../processes/serve-requests.ts";
import { makePicture } from "./make-picture.ts";

/*
 * The process in which frames are decoded, started by `picture-maker.ts`: one frame at a time. A hostile stream harms this process
 * only.
 */
serveSerially(makePicture);
