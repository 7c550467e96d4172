import type { Problem } from "../../../shared/api/problem.ts";
import type { FhirResource } from "./fhir-resource.ts";

/** Codes of FHIR's value set issue-type, by HTTP status. */
const ISSUES: Readonly<Record<number, string>> = {
  400: "invalid",
  401: "login",
  403: "forbidden",
  404: "not-found",
  405: "not-supported",
  406: "not-supported",
  409: "conflict",
  413: "too-costly",
  415: "not-supported",
  429: "throttled",
  503: "transient",
};

/** A failure as FHIR says it; `details` has the stable code and the text of the problem, `diagnostics` what is wrong with which parameter. */
export function operationOutcome({ status, code, message, violations = [] }: Problem): FhirResource {
  const fields = violations.map(({ path }) => path);
  const diagnostics = violations.map(({ path, message: why }) => `${path}: ${why}`).join("\n");
  return {
    resourceType: "OperationOutcome",
    issue: [
      {
        severity: "error",
        code: ISSUES[status] ?? "exception",
        details: { coding: [{ code }], text: message },
        ...(diagnostics && { diagnostics }),
        ...(fields.length > 0 && { expression: fields.map((field) => `http.${field}`) }),
      },
    ],
  };
}
