import factory from "@cornerstonejs/codec-libjpeg-turbo-8bit/decodewasmjs";
import { serveDecoding } from "./serve-decoding.ts";

serveDecoding(factory);
