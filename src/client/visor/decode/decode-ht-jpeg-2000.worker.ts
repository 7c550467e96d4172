import factory from "@cornerstonejs/codec-openjph/wasmjs";
import { sampleStream } from "./sample-stream.ts";
import { serveDecoding } from "./serve-decoding.ts";

serveDecoding(factory, sampleStream());
