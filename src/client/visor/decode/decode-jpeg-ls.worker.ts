import factory from "@cornerstonejs/codec-charls/decodewasmjs";
import { serveDecoding } from "./serve-decoding.ts";

serveDecoding(factory);
