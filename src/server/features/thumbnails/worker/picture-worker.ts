import { serveSerially } from "../../../processes/serve-requests.ts";
import { decodeToNative } from "./decode-to-native.ts";
import { makePicture } from "./make-picture.ts";
import type { NativeReply, NativeRequest, PictureReply, PictureRequest } from "./picture-messages.ts";

/*
 * The process in which frames are decoded, started by `picture-maker.ts`: one frame at a time. A hostile stream harms this process
 * only.
 */
serveSerially<PictureRequest | NativeRequest, PictureReply | NativeReply>((request) =>
  "native" in request ? decodeToNative(request) : makePicture(request),
);
