import { answerOf, api } from '../../client';

export type ExportForm = 'junit' | 'results' | 'output';

const BLOB_RESPONSE = 'blob' as const;

/** Fetches the complete export. Needs an `Accept` header, which a link cannot send. */
export function fetchExport(id: string, form: ExportForm): Promise<Blob> {
  const params = { path: { id } };
  const headers = { Accept: form === 'junit' ? 'application/xml' : 'application/x-ndjson' };
  if (form === 'output')
    return answerOf<Blob>(api.GET('/api/executions/{id}/output', { params, headers, parseAs: BLOB_RESPONSE }));
  return answerOf<Blob>(api.GET('/api/executions/{id}/results', { params, headers, parseAs: BLOB_RESPONSE }));
}
