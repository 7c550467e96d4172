import type { ReactNode } from "react";
import { Skeleton } from "./skeleton.tsx";

const SKELETON_ROWS = [1, 2, 3, 4];

export interface DataColumn {
  key: string;
  name: ReactNode;
  /** Class of the placeholder in the column's cells; a short line by default. */
  skeleton?: string;
}

interface DataTableProps<Row> {
  className: string;
  columns: readonly DataColumn[];
  /** Undefined while they are being loaded. */
  rows: Row[] | undefined;
  /** Whether these are the rows of the page before, while the asked one is read. */
  isReading?: boolean;
  /** Renders a row as a `tr` with its key. */
  children: (row: Row) => ReactNode;
}

/** A list on a desktop, one table row per entry. */
export function DataTable<Row>({
  className,
  columns,
  rows,
  isReading = false,
  children,
}: DataTableProps<Row>) {
  return (
    <table
      className={`data-table ${className} ${isReading ? "is-reading" : ""}`}
      aria-busy={rows === undefined || isReading}
    >
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
