import type { ReactNode } from "react";
import { Skeleton } from "./skeleton.tsx";

const SKELETON_ROWS = [1, 2, 3, 4];

export interface DataColumn {
  key: string;
  name: ReactNode;
  /** Of what waits in its cells: a short line, unless this says otherwise. */
  skeleton?: string;
}

interface DataTableProps<Row> {
  className: string;
  columns: readonly DataColumn[];
  /** Undefined while they are being loaded. */
  rows: Row[] | undefined;
  /** A row's `tr`, with its key. */
  children: (row: Row) => ReactNode;
}

/** A list on a desk, a line each. */
export function DataTable<Row>({ className, columns, rows, children }: DataTableProps<Row>) {
  return (
    <table className={`data-table ${className}`} aria-busy={rows === undefined}>
      <thead>
        <tr>
          {columns.map(({ key, name }) => (
            <th key={key} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows
          ? rows.map(children)
          : SKELETON_ROWS.map((row) => (
              <tr key={row}>
                {columns.map(({ key, skeleton = "w-24" }) => (
                  <td key={key}>
                    <Skeleton className={skeleton} />
                  </td>
                ))}
              </tr>
            ))}
      </tbody>
    </table>
  );
}
