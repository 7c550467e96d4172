import type { I18n } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { TokenScope } from "../../../shared/api/access-tokens.ts";

/** What a person chooses a token for; each stands for a set of scopes. */
export const tokenUses = ["read", "write", "both", "api"] as const;
export type TokenUse = (typeof tokenUses)[number];

export const scopesOfUse: Record<TokenUse, TokenScope[]> = {
  read: ["dicomweb:read"],
  write: ["dicomweb:write"],
  both: ["dicomweb:read", "dicomweb:write"],
  api: ["api"],
};

const names = {
  read: msg({ id: "tokens.use.read", message: "Read exams" }),
  write: msg({ id: "tokens.use.write", message: "Upload only" }),
  both: msg({ id: "tokens.use.both", message: "Read and upload" }),
  api: msg({ id: "tokens.use.api", message: "Use the API" }),
};

export function nameOfUse(i18n: I18n, use: TokenUse): string {
  return i18n._(names[use]);
}

/** What a token may do, as its row says it. */
export function scopesText(i18n: I18n, scopes: readonly TokenScope[]): string {
  const has = (scope: TokenScope) => scopes.includes(scope);
  const exams: TokenUse[] =
    has("dicomweb:read") && has("dicomweb:write")
      ? ["both"]
      : has("dicomweb:read")
        ? ["read"]
        : has("dicomweb:write")
          ? ["write"]
          : [];
  const uses: TokenUse[] = has("api") ? [...exams, "api"] : exams;
  return uses.map((use) => nameOfUse(i18n, use)).join(" · ");
}
