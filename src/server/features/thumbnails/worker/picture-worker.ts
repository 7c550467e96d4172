import { serveRequests } from "../../../processes/serve-requests.ts";
import { makePicture } from "./make-picture.ts";
import { type PictureReply, type PictureRequest, READY } from "./picture-messages.ts";

/*
 * The process in which frames are decoded, started by `picture-maker.ts`: one frame at a time. A hostile stream harms this process
 * only.
 */
serveRequests(
  async (request: PictureRequest | typeof READY): Promise<PictureReply | typeof READY> =>
    request === READY ? READY : await makePicture(request),
);
