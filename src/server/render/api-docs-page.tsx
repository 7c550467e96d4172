/** @jsxImportSource hono/jsx */
import type { ErrorKind } from "../http/app-error.ts";
import { dicomwebExamples } from "./api-examples.ts";
import { type ShownSchema, schemaText } from "./schema-text.ts";

interface ShownBody {
  content?: Record<string, { schema?: ShownSchema }>;
}

interface ShownParameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: ShownSchema;
}

interface ShownOperation {
  tags?: string[];
  summary?: string;
  description?: string;
  security?: Record<string, string[]>[];
  "x-roles"?: string[];
  "x-subscription"?: string;
  parameters?: ShownParameter[];
  requestBody?: ShownBody;
  responses?: Record<string, ShownBody & { description?: string }>;
}

/** The part of an OpenAPI document that the page shows. */
export interface ShownDocument {
  info: { title: string; description?: string };
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, ShownOperation>>;
  components?: { schemas?: Record<string, ShownSchema> };
}

interface Call extends ShownOperation {
  method: string;
  path: string;
}

interface ApiDocsProps {
  document: ShownDocument;
  publicUrl: string;
  /** All failures by their code. */
  problems: ErrorKind[];
}

/** What a reader needs to call the API: how to get a token, the calls by room, the shapes, and the codes of failures. */
export function ApiDocsPage({ document, publicUrl, problems }: ApiDocsProps) {
  const calls = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, operation]): Call => ({ ...operation, method: method.toUpperCase(), path }),
    ),
  );
  const rooms = document.tags ?? [];
  return (
    <main class="docs" lang="en-US">
      <header>
        <a href="/">{document.info.title.replace(/ API$/, "")}</a>
        <h1>{document.info.title}</h1>
        <p>{marked(document.info.description)}</p>
        <p>
          The same as OpenAPI 3.1: <a href="/api/openapi.json">/api/openapi.json</a>. What it does of DICOM:{" "}
          <a href="/api/conformance">/api/conformance</a>
        </p>
        <nav aria-label="Rooms of the API">
          <ul>
            {rooms.map(({ name }) => (
              <li key={name}>
                <a href={`#${slug(name)}`}>{name}</a>
              </li>
            ))}
            <li>
              <a href="#shapes">Shapes</a>
            </li>
            <li>
              <a href="#problems">Problems</a>
            </li>
          </ul>
        </nav>
      </header>
      <GettingStarted publicUrl={publicUrl} />
      <DicomwebExamples publicUrl={publicUrl} />
      {rooms.map(({ name, description }) => (
        <section key={name} id={slug(name)}>
          <h2>{name}</h2>
          <p>{marked(description)}</p>
          {calls
            .filter(({ tags }) => tags?.includes(name))
            .map((call) => (
              <CallDetails key={`${call.method} ${call.path}`} call={call} />
            ))}
        </section>
      ))}
      <section id="shapes">
        <h2>Shapes</h2>
        <p>What answers are made of, by name. A member with a question mark may be missing.</p>
        {Object.entries(document.components?.schemas ?? {}).map(([name, schema]) => (
          <details key={name}>
            <summary>
              <code>{name}</code>
            </summary>
            <div class="operation">
              <pre tabindex={0}>{schemaText(schema)}</pre>
            </div>
          </details>
        ))}
      </section>
      <section id="problems">
        <h2>Problems</h2>
        <p>
          {marked(
            "Each failure is a `Problem`. `code` is one of these and stays; what is said here stands in `message`.",
          )}
        </p>
        <section class="scroll" tabindex={0} aria-label="Problems">
          <table>
            <thead>
              <tr>
                <th scope="col">Status</th>
                <th scope="col">Code</th>
                <th scope="col">Message</th>
              </tr>
            </thead>
            <tbody>
              {problems
                .toSorted((a, b) => a.status - b.status || a.code.localeCompare(b.code))
                .map(({ status, code, text }) => (
                  <tr key={code}>
                    <td>{status}</td>
                    <td>
                      <code>{code}</code>
                    </td>
                    <td>{text.message}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </section>
      </section>
    </main>
  );
}

function GettingStarted({ publicUrl }: { publicUrl: string }) {
  return (
    <section id="token">
      <h2>How to get a token</h2>
      <p>
        {marked(
          "Sign in; the answer's `token` goes into the `Authorization` header of every other call. It lives 12 hours after its last use, seven days at most, and ends with `POST /api/auth/logout`.",
        )}
      </p>
      <pre tabindex={0}>{`TOKEN=$(curl -s ${publicUrl}/api/auth/login \\
  -H 'Content-Type: application/json' \\
  -d '{"email": "you@example.com", "password": "your password"}' | jq -r .token)

curl -s ${publicUrl}/api/studies -H "Authorization: Bearer $TOKEN"
curl -s ${publicUrl}/api/upload-dicom -H "Authorization: Bearer $TOKEN" -F zipFile=@exam.zip`}</pre>
      <p>
        {marked(
          "Where login answers `requiresTwoFactor`, send the code as `POST /api/auth/verify-2fa` with `email` and `code`; that answer has the token.",
        )}
      </p>
    </section>
  );
}

function DicomwebExamples({ publicUrl }: { publicUrl: string }) {
  return (
    <section id="dicomweb-examples">
      <h2>Programs and DICOMweb</h2>
      <p>
        {marked(
          "A program signs in with an access token in place of a session: `dicomweb:read` to search, read and draw, `dicomweb:write` to store, `api` for the other calls that name it.",
        )}
      </p>
      {dicomwebExamples(publicUrl).map(({ title, code }) => (
        <div key={title}>
          <p>{title}</p>
          <pre tabindex={0}>{code}</pre>
        </div>
      ))}
    </section>
  );
}

function CallDetails({ call }: { call: Call }) {
  const parameters = call.parameters ?? [];
  const answers = Object.entries(call.responses ?? {}).filter(([status]) => status !== "default");
  return (
    <details id={slug(`${call.method} ${call.path}`)}>
      <summary>
        <code class="method">{call.method}</code>
        <code>{call.path}</code>
        <span>{call.summary}</span>
      </summary>
      <div class="operation">
        <p>{marked([accessText(call), call.description].filter(Boolean).join(" "))}</p>
        {parameters.length > 0 && (
          <section class="scroll" tabindex={0} aria-label="Parameters">
            <table>
              <thead>
                <tr>
                  <th scope="col">Parameter</th>
                  <th scope="col">In</th>
                  <th scope="col">Value</th>
                </tr>
              </thead>
              <tbody>
                {parameters.map(({ name, in: place, required, description, schema }) => (
                  <tr key={name}>
                    <td>
                      <code>{required ? name : `${name}?`}</code>
                    </td>
                    <td>{place}</td>
                    <td>{marked(description ?? schemaText(schema ?? {}))}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )}
        {Object.entries(call.requestBody?.content ?? {}).map(([type, { schema }]) => (
          <Shape key={type} title={`Body, ${type}`} schema={schema} />
        ))}
        {answers.map(([status, { description, content }]) =>
          Number(status) >= 400 ? (
            <p key={status}>
              {status}: {marked(description)}
            </p>
          ) : (
            <Success key={status} status={status} description={description} content={content} />
          ),
        )}
      </div>
    </details>
  );
}

function Success({
  status,
  description,
  content = {},
}: ShownBody & { status: string; description?: string }) {
  const types = Object.keys(content);
  const [first] = Object.values(content);
  if (types.length === 0) {
    return (
      <p>
        {status}: {marked(description)}
      </p>
    );
  }
  return <Shape title={`${status}: ${types.join(", ")}`} schema={first?.schema} />;
}

function Shape({ title, schema }: { title: string; schema: ShownSchema | undefined }) {
  return (
    <>
      <p>{title}</p>
      {schema && <pre tabindex={0}>{schemaText(schema)}</pre>}
    </>
  );
}

function accessText(call: Call): string {
  const security = call.security ?? [];
  const [scheme] = security.flatMap((one) => Object.keys(one));
  const scopes = security.flatMap(({ accessToken = [] }) => accessToken);
  if (scheme === undefined)
    return call.path.includes("{token}") ? "Opened by the token in its path." : "Open to anyone.";
  if (scheme === "metricsToken") return "Opened by METRICS_TOKEN.";
  const roles = call["x-roles"]?.join(", ");
  return [
    roles === undefined ? "For a session." : `For a session of: ${roles}.`,
    scopes.length > 0 && `Or for an access token with the scope \`${scopes.join("`, `")}\`.`,
    call["x-subscription"] === "own" && "Wants a subscription in force.",
    call["x-subscription"] === "viewing" && "Wants a subscription in force, but of doctors and labs.",
  ]
    .filter(Boolean)
    .join(" ");
}

/** Text in which backquotes mark code. */
export function marked(text = "") {
  return text.split("`").map((part, i) => (i % 2 === 1 ? <code key={part}>{part}</code> : part));
}

function slug(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "-");
}
