import { answerOf, api } from '../../client';

/** Formats for exporting results of a run. */
export type ExportForm = 'junit' | 'results' | 'output';

const BLOB_RESPONSE = 'blob' as const;

/** The complete export, requested with an `Accept` header, which a link can't send. */
export function fetchExport(id: string, form: ExportForm): Promise<Blob> {
  const params = { path: { id } };
  const headers = { Accept: form === 'junit' ? 'application/xml' : 'application/x-ndjson' };
  if (form === 'output')
    return answerOf<Blob>(api.GET('/api/executions/{id}/output', { params, headers, parseAs: BLOB_RESPONSE }));
  return answerOf<Blob>(api.GET('/api/executions/{id}/results', { params, headers, parseAs: BLOB_RESPONSE }));
}
