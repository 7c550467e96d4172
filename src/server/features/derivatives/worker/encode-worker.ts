import { constants, setPriority } from "node:os";
import { serveSerially } from "../../../processes/serve-requests.ts";
import { answerEncode } from "./answer-encode.ts";

/*
 * The process in which lossless copies are made, started by `frame-encoder.ts`: one frame at a time, behind everything else that
 * the machine does. A hostile stream harms this process only.
 */
setPriority(constants.priority.PRIORITY_LOW);
serveSerially(answerEncode);
