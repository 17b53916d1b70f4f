import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, idempotent, ifVersion } from '../../client';
import { CURSOR_PAGING } from '../../paging';
import type {
  CreateNotificationRuleRequest,
  NotificationDelivery,
  NotificationRule,
  TestNotificationRuleRequest,
  UpdateNotificationRuleRequest,
} from '../../types';

const KEY = ['notification-rules'] as const;
/** Refetch intervals in ms: while a message is being sent, and otherwise. A run can send a message at any time. */
const SENDING_MS = 2_000;
const IDLE_MS = 15_000;

const isSending = (delivery: NotificationDelivery | null): boolean => delivery?.status === 'sending';

export const notificationRulesQuery = (q = '') =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'list', q],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/api/notification-rules', { params: { query: { q: q || undefined, cursor: pageParam } }, signal }),
      ),
    ...CURSOR_PAGING,
    refetchInterval: IDLE_MS,
  });

export const notificationRuleQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/notification-rules/{id}', { params: { path: { id } }, signal })),
    refetchInterval: IDLE_MS,
  });

export const notificationDeliveriesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'deliveries', id],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/api/notification-rules/{id}/deliveries', {
          params: { path: { id }, query: { cursor: pageParam } },
          signal,
        }),
      ),
    ...CURSOR_PAGING,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some(isSending)) ? SENDING_MS : IDLE_MS,
  });

export function useCreateNotificationRule() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, key }: { body: CreateNotificationRuleRequest; key: string }) =>
      answerOf(api.POST('/api/notification-rules', { body, headers: idempotent(key) })),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
    // The request may contain an address or a token, which must not stay in the cache of finished mutations.
    gcTime: 0,
  });
}

export function useUpdateNotificationRule() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ rule: { id, version }, body }: { rule: NotificationRule; body: UpdateNotificationRuleRequest }) =>
      answerOf(
        api.PATCH('/api/notification-rules/{id}', { params: { path: { id }, header: ifVersion(version) }, body }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
    gcTime: 0,
  });
}

export function useDeleteNotificationRule() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, version }: NotificationRule) =>
      answerOf(api.DELETE('/api/notification-rules/{id}', { params: { path: { id }, header: ifVersion(version) } })),
    onSuccess: () => client.invalidateQueries({ queryKey: [...KEY, 'list'] }),
  });
}

/** Sends a test message with a stored rule or with an unsaved channel. */
export function useTestNotification() {
  return useMutation({
    mutationFn: (what: { id: string } | { body: TestNotificationRuleRequest }) =>
      answerOf(
        'id' in what
          ? api.POST('/api/notification-rules/{id}/test', { params: { path: { id: what.id } } })
          : api.POST('/api/notification-rules/test', { body: what.body }),
      ),
    gcTime: 0,
  });
}

export function useResendNotification(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (deliveryId: string) =>
      answerOf(
        api.POST('/api/notification-rules/{id}/deliveries/{deliveryId}/resend', {
          params: { path: { id, deliveryId } },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
}
