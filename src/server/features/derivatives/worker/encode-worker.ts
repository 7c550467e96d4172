import { constants, setPriority } from "node:os";
import { serveRequests } from "../../../processes/serve-requests.ts";
import { answerEncode } from "./answer-encode.ts";
import { type EncodeReply, type EncodeRequest, READY } from "./encode-messages.ts";

/*
 * The process in which lossless copies are made, started by `frame-encoder.ts`: one frame at a time, behind everything else that
 * the machine does. A hostile stream harms this process only.
 */
setPriority(constants.priority.PRIORITY_LOW);
serveRequests(
  async (request: EncodeRequest | typeof READY): Promise<EncodeReply | typeof READY> =>
    request === READY ? READY : await answerEncode(request),
);
