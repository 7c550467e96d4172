import { closeSync, openSync } from "node:fs";
import { fileSource } from "../../../dicom/byte-source.ts";
import { serveSerially } from "../../../processes/serve-requests.ts";
import { type JudgeRequest, judgeFile, type Verdict } from "./judge-file.ts";

/*
 * The process that judges received files which are much work, started by `instance-judge.ts`: half a million elements, or a data set
 * that inflates to 512 MB, would keep the associations of all senders waiting.
 */
serveSerially(judge);

function judge({ path, sizeBytes }: JudgeRequest): Verdict {
  const fd = openSync(path, "r");
  try {
    return judgeFile(fileSource(fd, 0, sizeBytes));
  } finally {
    closeSync(fd);
  }
}
