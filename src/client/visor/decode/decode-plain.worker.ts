import { serveDecoding } from "./serve-decoding.ts";

serveDecoding();
