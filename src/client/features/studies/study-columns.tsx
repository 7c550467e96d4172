import { Trans } from "@lingui/react/macro";
import {
  columnVisibilityFeature,
  createColumnHelper,
  rowExpandingFeature,
  rowSortingFeature,
  tableFeatures,
} from "@tanstack/react-table";
import type { Study } from "../../../shared/api/studies.ts";
import type { Role } from "../../../shared/api/users.ts";
import { ActionsCell } from "./actions-cell.tsx";
import { StorageDot } from "./storage-status.tsx";
import {
  CountCell,
  DateCell,
  DescriptionCell,
  ModalityCell,
  PatientCell,
  ReportCell,
} from "./study-cells.tsx";
import { ViewerButton } from "./viewer-button.tsx";

/** The server sorts and pages; the table only keeps what it was asked for. */
export const studyTableFeatures = tableFeatures({
  rowSortingFeature,
  rowExpandingFeature,
  columnVisibilityFeature,
});

const column = createColumnHelper<typeof studyTableFeatures, Study>();

/** Ids of sortable columns are the server's names of the sorts. */
export const studyColumns = column.columns([
  column.accessor("patientName", {
    header: () => <Trans id="exam.patient">Patient</Trans>,
    cell: ({ row }) => <PatientCell row={row} />,
  }),
  column.accessor("studyDate", {
    header: () => <Trans id="exam.date">Date</Trans>,
    cell: ({ row, table }) => (
      <DateCell row={row} hasExpander={table.getColumn("patientName")?.getIsVisible() === false} />
    ),
  }),
  column.accessor("studyDescription", {
    header: () => <Trans id="exam.description">Description</Trans>,
    cell: ({ row }) => <DescriptionCell study={row.original} />,
  }),
  column.accessor("modality", {
    header: () => <Trans id="exam.modality">Modality</Trans>,
    cell: ({ row }) => <ModalityCell modality={row.original.modality} />,
  }),
  column.accessor("imagesReceived", {
    header: () => <Trans id="exam.images">Images</Trans>,
    cell: ({ row }) => <CountCell count={row.original.imagesReceived} />,
  }),
  column.accessor("seriesCount", {
    header: () => <Trans id="exam.series">Series</Trans>,
    cell: ({ row }) => <CountCell count={row.original.seriesCount} />,
  }),
  column.accessor("storageStatus", {
    header: () => <Trans id="exam.storage">Storage</Trans>,
    cell: ({ row }) => <StorageDot status={row.original.storageStatus} />,
    enableSorting: false,
  }),
  column.accessor("laudo", {
    header: () => <Trans id="exam.report">Report</Trans>,
    cell: ({ row }) => <ReportCell study={row.original} />,
    enableSorting: false,
  }),
  column.display({
    id: "viewer",
    header: () => <Trans id="exam.viewer">Viewer</Trans>,
    cell: ({ row }) => <ViewerButton study={row.original} />,
  }),
  column.display({
    id: "actions",
    header: () => <Trans id="exam.actions">Actions</Trans>,
    cell: ({ row }) => <ActionsCell study={row.original} />,
  }),
]);

/** Which columns a role does not see. */
export function columnVisibility(role: Role): Record<string, boolean> {
  return {
    patientName: role !== "user",
    storageStatus: role === "admin",
    actions: role === "admin" || role === "user",
  };
}
