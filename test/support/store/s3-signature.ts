import { createHash, createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Whether the request is signed with this secret: AWS Signature Version 4, in the Authorization header. */
export function isSignedWith(secretAccessKey: string, { method, url, headers }: IncomingMessage): boolean {
  const authorization = /Credential=[^/]+\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([\da-f]{64})$/;
  const [, scope, names, signature] = authorization.exec(headers.authorization ?? "") ?? [];
  if (!scope || !names) return false;
  const [path, search = ""] = (url ?? "").split("?");
  const query = search.split("&").filter(Boolean).sort();
  const canonicalRequest = [
    method,
    path,
    query.map((pair) => (pair.includes("=") ? pair : `${pair}=`)).join("&"),
    ...names.split(";").map((name) => `${name}:${headers[name]}`),
    "",
    names,
    headers["x-amz-content-sha256"],
  ].join("\n");
  const digest = createHash("sha256").update(canonicalRequest).digest("hex");
  const toSign = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, digest].join("\n");
  const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  const signingKey = scope.split("/").reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  return hmac(signingKey, toSign).toString("hex") === signature;
}
