import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { meQuery } from '../../api/queries/access/session';

export interface RecentPage {
  path: string;
  title: string;
}

const MAX_RECENT = 8;
/** Page of one record, such as `/plans/<ID>`, as opposed to lists and forms. */
const RECORD_PATH = /^\/[a-z/-]+\/[0-9a-f]{8}-[0-9a-f-]{27}$/;

export const isRecordPath = (path: string): boolean => RECORD_PATH.test(path);

/** Puts the page first, and keeps the most recent ones. */
export const withVisit = (pages: readonly RecentPage[], visited: RecentPage): RecentPage[] =>
  [visited, ...pages.filter(({ path }) => path !== visited.path)].slice(0, MAX_RECENT);

/** Records that the member has opened in this browser, the latest first. */
export function useRecentPages() {
  const { data: me } = useQuery(meQuery);
  return useLocalStorage<RecentPage[]>({
    key: `runward-recent:${me?.tenant.id ?? ''}:${me?.id ?? ''}`,
    defaultValue: [],
  });
}

/** Notes that the member has opened the page, if it is the page of a record. */
export function useNotedVisit(title: string): void {
  const path = useLocation({ select: ({ pathname }) => pathname });
  const [, setPages] = useRecentPages();
  const note = useEffectEvent(() => {
    if (isRecordPath(path)) setPages((pages) => withVisit(pages, { path, title }));
  });
  useEffect(() => note(), [path, title]);
}
