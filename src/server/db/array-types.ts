/**
 * The arrays that our statements send or read: the OID of the element's type, then that of the array's. They are PostgreSQL's own
 * types, which have the same OIDs in every version (`pg_type.dat`). Without this list the driver asks for all types on each new
 * connection, which costs the database more than most statements do.
 */
export const ARRAY_TYPES: readonly (readonly [element: number, array: number])[] = [
  [16, 1000], // bool
  [17, 1001], // bytea
  [18, 1002], // "char"
  [19, 1003], // name
  [20, 1016], // int8
  [21, 1005], // int2
  [23, 1007], // int4
  [25, 1009], // text
  [26, 1028], // oid
  [114, 199], // json
  [700, 1021], // float4
  [701, 1022], // float8
  [1042, 1014], // bpchar
  [1043, 1015], // varchar
  [1082, 1182], // date
  [1083, 1183], // time
  [1114, 1115], // timestamp
  [1184, 1185], // timestamptz
  [1186, 1187], // interval
  [1700, 1231], // numeric
  [2950, 2951], // uuid
  [3802, 3807], // jsonb
];
