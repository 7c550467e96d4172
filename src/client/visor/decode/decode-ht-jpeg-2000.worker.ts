import factory from "@cornerstonejs/codec-openjph/wasmjs";
import { serveDecoding } from "./serve-decoding.ts";

serveDecoding(factory);
