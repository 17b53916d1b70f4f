import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, idempotent, ifVersion } from '../../client';
import type { ImportPlansRequest, PlanCheck } from '../../types';

const KEY = ['plans'] as const;

export const planYaml = (id: string, revision: number, signal?: AbortSignal): Promise<string> =>
  answerOf<unknown>(
    api.GET('/api/plans/{id}/export', { params: { path: { id }, query: { revision } }, parseAs: 'text', signal }),
  ).then(String);

/** JSON schema of plans, for completion in the editor. */
export const planSchemaQuery = queryOptions({
  queryKey: ['schemas', 'plan'],
  queryFn: ({ signal }) =>
    answerOf(api.GET('/api/schemas/plan.json', { parseAs: 'json', signal })) as unknown as Promise<object>,
  staleTime: Infinity,
});

/**
 * Returns faults, fields and YAML of a plan text.
 * @param base text whose comments the YAML keeps
 */
export const checkPlan = (content: string, base?: string): Promise<PlanCheck> =>
  answerOf(api.POST('/api/plans/check', { body: { content, ...(base === undefined ? {} : { base }) } }));

export function useImportPlans() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, key, version }: { body: ImportPlansRequest; key?: string; version?: number }) =>
      answerOf(
        api.POST('/api/plans/import', {
          body,
          headers: {
            ...(key === undefined ? {} : idempotent(key)),
            ...(version === undefined ? {} : ifVersion(version)),
          },
        }),
      ),
    onSuccess: ({ preview }) => (preview ? undefined : client.invalidateQueries({ queryKey: KEY })),
  });
}
