import {
  columnOrderingFeature,
  columnVisibilityFeature,
  rowExpandingFeature,
  rowSortingFeature,
  tableFeatures,
} from "@tanstack/react-table";

/** The server sorts and pages; the table only keeps the chosen sort and page. */
export const studyTableFeatures = tableFeatures({
  rowSortingFeature,
  rowExpandingFeature,
  columnVisibilityFeature,
  columnOrderingFeature,
});
