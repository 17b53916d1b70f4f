import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** Tolerance for being at the end, in pixels. */
const NEAR_PX = 24;

/** Keeps a growing view scrolled to its end until the user scrolls up, and counts new lines since then. */
export function useFollow(scroll: RefObject<HTMLElement | null>, count: number, enabled: boolean) {
  const [following, setFollowing] = useState(enabled);
  /** Number of lines when the user scrolled away; null if they did not. */
  const [seen, setSeen] = useState<number | null>(null);
  const latest = useRef({ count, following });
  useEffect(() => {
    latest.current = { count, following };
  });

  useLayoutEffect(() => {
    const element = scroll.current;
    if (following && element) element.scrollTo({ top: element.scrollHeight });
  }, [following, count, scroll]);

  useEffect(() => {
    const element = scroll.current;
    if (!element) return;
    let top = element.scrollTop;
    const onScroll = () => {
      const up = element.scrollTop < top;
      top = element.scrollTop;
      const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
      // Growth never scrolls up, so only the user can stop the following.
      if (latest.current.following && up && !atEnd) {
        setFollowing(false);
        setSeen(latest.current.count);
      } else if (!latest.current.following && atEnd && !up) setFollowing(true);
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => element.removeEventListener('scroll', onScroll);
  }, [scroll]);

  return {
    following,
    fresh: following || seen === null ? 0 : Math.max(0, count - seen),
    follow: () => setFollowing(true),
  };
}
