/** How programs call DICOMweb, for the page of the API. `exm_…` stands for an access token. */
export function dicomwebExamples(publicUrl: string): { title: string; code: string }[] {
  const url = `${publicUrl}/dicomweb`;
  return [
    {
      title: "curl",
      code: `TOKEN=exm_…   # Profile, Tokens for programs; or POST /api/tokens

curl -s '${url}/studies?PatientName=silva*&includefield=all' -H "Authorization: Bearer $TOKEN"
curl -s ${url}/studies -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/dicom' --data-binary @image.dcm
curl -s '${url}/studies/1.2.3/rendered?viewport=512,512' -H "Authorization: Bearer $TOKEN" -o image.jpg`,
    },
    {
      title: "JavaScript (dicomweb-client)",
      code: `import { api } from "dicomweb-client";

const client = new api.DICOMwebClient({ url: "${url}", headers: { Authorization: "Bearer exm_…" } });
await client.storeInstances({ datasets: [arrayBuffer] });
const studies = await client.searchForStudies({ queryParams: { PatientName: "silva*" } });
const instances = await client.retrieveStudy({ studyInstanceUID: "1.2.3" });`,
    },
    {
      title: "Python (dicomweb-client)",
      code: `import pydicom
from dicomweb_client.api import DICOMwebClient

client = DICOMwebClient("${url}", headers={"Authorization": "Bearer exm_…"})
client.store_instances([pydicom.dcmread("image.dcm")])
studies = client.search_for_studies(search_filters={"PatientName": "silva*"})
datasets = client.retrieve_series("1.2.3", "1.2.3.4")`,
    },
    {
      title: "C-STORE (DCMTK), where the operator set DIMSE_PORT",
      code: `# CLINICA: Profile, DICOM receivers; or POST /api/receivers
PORT=11112

echoscu -aec CLINICA ${new URL(publicUrl).hostname} $PORT
storescu -aec CLINICA ${new URL(publicUrl).hostname} $PORT image.dcm
dcmsend -aec CLINICA ${new URL(publicUrl).hostname} $PORT image.dcm`,
    },
  ];
}
