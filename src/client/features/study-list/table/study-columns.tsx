import { createColumnHelper } from "@tanstack/react-table";
import type { Study } from "../../../../shared/api/studies.ts";
import type { Role } from "../../../../shared/api/users.ts";
import { ActionsCell } from "../actions/actions-cell.tsx";
import { ViewerButton } from "../show-images/viewer-button.tsx";
import { StorageDot } from "../storage-status.tsx";
import {
  CountCell,
  DateCell,
  DescriptionCell,
  ModalityCell,
  PatientCell,
  ReportCell,
} from "./study-cells.tsx";
import type { studyTableFeatures } from "./study-table-features.ts";

const column = createColumnHelper<typeof studyTableFeatures, Study>();

/** Names, order and widths of the columns are defined elsewhere. The id of a sortable column is the server's name for that sort. */
export const studyColumns = column.columns([
  column.accessor("patientName", {
    cell: ({ row }) => <PatientCell row={row} />,
  }),
  column.accessor("studyDate", {
    cell: ({ row, table }) => (
      <DateCell row={row} hasExpander={table.getColumn("patientName")?.getIsVisible() === false} />
    ),
  }),
  column.accessor("studyDescription", {
    cell: ({ row, table }) => (
      <DescriptionCell
        study={row.original}
        hasCounts={table.getColumn("seriesCount")?.getIsVisible() !== true}
      />
    ),
  }),
  column.accessor("modality", {
    cell: ({ row }) => <ModalityCell modality={row.original.modality} />,
  }),
  column.accessor("imagesReceived", {
    cell: ({ row }) => <CountCell count={row.original.imagesReceived} />,
  }),
  column.accessor("seriesCount", {
    cell: ({ row }) => <CountCell count={row.original.seriesCount} />,
  }),
  column.accessor("storageStatus", {
    cell: ({ row }) => <StorageDot status={row.original.storageStatus} />,
    enableSorting: false,
  }),
  column.accessor("laudo", {
    cell: ({ row }) => <ReportCell study={row.original} />,
    enableSorting: false,
  }),
  column.display({
    id: "viewer",
    cell: ({ row }) => <ViewerButton study={row.original} />,
  }),
  column.display({
    id: "actions",
    cell: ({ row }) => <ActionsCell study={row.original} />,
  }),
]);

/** Visibility of the columns that depend on the role. A person with exams of one patient knows whose they are. */
export function columnVisibility(role: Role, hasSeveralPatients: boolean) {
  return {
    patientName: role !== "user" || hasSeveralPatients,
    storageStatus: role === "admin",
    actions: hasActions(role),
  };
}

/** Doctors and labs only look. */
export function hasActions(role: Role): boolean {
  return role === "admin" || role === "user";
}
