import * as z from "zod/mini";

/**
 * One call of the API, for server and client: the server mounts its route at `path` and validates with these schemas,
 * the client derives the types of request and answer from them, and the API's document is generated from them.
 */
export interface Call {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** From the root, with parameters in Hono's syntax: `/api/studies/:study`. */
  path: `/${string}`;
  query?: z.ZodMiniType;
  /** Sent as JSON. */
  body?: z.ZodMiniType;
  /** Text fields of a multipart form; its one file is the field `file`. */
  form?: z.ZodMiniType;
  file?: string;
  /** Media types of a body that is neither JSON nor a form. */
  bytes?: readonly string[];
  /** The JSON of a success. A call without one answers bytes or an empty body. */
  answer?: z.ZodMiniType;
}

/** The caller's input: path parameters, query and JSON body, each only if the call has it. */
export type CallInput<C extends Call> = ParamsOf<C["path"]> &
  (C extends { query: infer Query extends z.ZodMiniType } ? { query: z.input<Query> } : unknown) &
  (C extends { body: infer Body extends z.ZodMiniType } ? { body: z.input<Body> } : unknown);

type ParamsOf<Path extends string> = [ParamOf<Path>] extends [never]
  ? unknown
  : { params: Record<ParamOf<Path>, string> };

type ParamOf<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | ParamOf<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Name
    : never;

/** A call whose form has exactly one file. */
export type FormCall = Call & { form: z.ZodMiniType; file: string };

/** The answer of a call that has only its success to report. */
export const done = <Name extends string>(name: Name) =>
  z.object({ [name]: z.literal(true) } as Record<Name, z.ZodMiniLiteral<true>>);
