import type { S3ClientOptions } from "../../../src/server/storage/s3/s3-client.ts";

/** The settings with which the program keeps its objects in that bucket. */
export function s3Environment(options: S3ClientOptions): Record<string, string> {
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = options;
  return {
    S3_ENDPOINT: endpoint,
    S3_REGION: region,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  };
}
