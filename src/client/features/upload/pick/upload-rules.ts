/** The name under which a packed folder is sent. */
export const PACKED_FOLDER_NAME = "dicom_files.zip";

/** The format's limit without ZIP64, which the packer does not write. */
export const MAX_FOLDER_FILES = 65_535;
