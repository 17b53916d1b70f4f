import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, idempotent, ifVersion } from '../../client';
import { CURSOR_PAGING } from '../../paging';
import type { CreateWebhookRequest, DeliveryStatus, UpdateWebhookRequest, Webhook } from '../../types';

const KEY = ['webhooks'] as const;
/** Refetch intervals in ms: while deliveries wait, and otherwise. */
const BUSY_MS = 2_000;
const IDLE_MS = 15_000;

export const webhooksQuery = (q = '') =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'list', q],
    queryFn: ({ pageParam, signal }) =>
      answerOf(api.GET('/api/webhooks', { params: { query: { q: q || undefined, cursor: pageParam } }, signal })),
    ...CURSOR_PAGING,
    refetchInterval: IDLE_MS,
  });

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/webhooks/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) => (data && data.pending > 0 ? BUSY_MS : IDLE_MS),
  });

export const deliveriesQuery = (id: string, state: DeliveryStatus | undefined) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'deliveries', id, state ?? 'all'],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/api/webhooks/{id}/deliveries', {
          params: { path: { id }, query: { status: state ? [state] : undefined, cursor: pageParam } },
          signal,
        }),
      ),
    ...CURSOR_PAGING,
    refetchInterval: ({ state: { data } }) =>
      data?.pages[0]?.items.some((delivery) => delivery.status === 'pending') ? BUSY_MS : IDLE_MS,
  });

export const deliveryQuery = (id: string, deliveryId: string) =>
  queryOptions({
    queryKey: [...KEY, 'delivery', id, deliveryId],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/api/webhooks/{id}/deliveries/{deliveryId}', { params: { path: { id, deliveryId } }, signal })),
    refetchInterval: ({ state: { data } }) => (data?.status === 'pending' ? BUSY_MS : false),
  });

export function useCreateWebhook() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, key }: { body: CreateWebhookRequest; key: string }) =>
      answerOf(api.POST('/api/webhooks', { body, headers: idempotent(key) })),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
    // The answer contains the secret, which must not stay in the cache of finished mutations.
    gcTime: 0,
  });
}

export function useUpdateWebhook() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ webhook: { id, version }, body }: { webhook: Webhook; body: UpdateWebhookRequest }) =>
      answerOf(api.PATCH('/api/webhooks/{id}', { params: { path: { id }, header: ifVersion(version) }, body })),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
    gcTime: 0,
  });
}

export function useDeleteWebhook() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, version }: Webhook) =>
      answerOf(api.DELETE('/api/webhooks/{id}', { params: { path: { id }, header: ifVersion(version) } })),
    onSuccess: () => client.invalidateQueries({ queryKey: [...KEY, 'list'] }),
  });
}

export function useRotateWebhookSecret() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ webhook: { id }, endOldSecret }: { webhook: Webhook; endOldSecret: boolean }) =>
      answerOf(api.POST('/api/webhooks/{id}/rotate-secret', { params: { path: { id } }, body: { endOldSecret } })),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
    gcTime: 0,
  });
}

export function useTakeOverWebhook() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: Webhook) => answerOf(api.POST('/api/webhooks/{id}/take-over', { params: { path: { id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

export function useTestWebhook() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: Webhook) => answerOf(api.POST('/api/webhooks/{id}/test', { params: { path: { id } } })),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

export function useReplayDelivery() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, deliveryId }: { id: string; deliveryId: string }) =>
      answerOf(api.POST('/api/webhooks/{id}/deliveries/{deliveryId}/replay', { params: { path: { id, deliveryId } } })),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

export function useReplayDead() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: Webhook) => answerOf(api.POST('/api/webhooks/{id}/replay-dead', { params: { path: { id } } })),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
}
