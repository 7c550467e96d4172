import * as z from "zod/mini";

/**
 * One call of the API, as server and client both read it: the server mounts its route at `path` and validates with these
 * schemas, the client's request and answer have their types, and the API's document is made of them.
 */
export interface Call {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** From the root, parameters as Hono names them: `/api/studies/:study`. */
  path: `/${string}`;
  query?: z.ZodMiniType;
  /** Sent as JSON. */
  body?: z.ZodMiniType;
  /** Text fields of a multipart form; its one file goes beside them as `file`. */
  form?: z.ZodMiniType;
  file?: string;
  /** The JSON of a success. A call without one answers bytes, or nothing. */
  answer?: z.ZodMiniType;
}

/** What a caller gives: parameters of the path, query and JSON body, each where the call has it. */
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

/** A call whose form has one file. */
export type FormCall = Call & { form: z.ZodMiniType; file: string };

/** What is said where there is nothing to tell but that it was done. */
export const done = <Name extends string>(name: Name) =>
  z.object({ [name]: z.literal(true) } as Record<Name, z.ZodMiniLiteral<true>>);
