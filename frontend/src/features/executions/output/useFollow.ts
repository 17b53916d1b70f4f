import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** In pixels. */
const NEAR_END_PX = 24;

/** Keeps a growing view scrolled to its end until the user scrolls up. Then counts new lines. */
export function useFollow(scroll: RefObject<HTMLElement | null>, count: number, enabled: boolean) {
  const [following, setFollowing] = useState(enabled);
  /** Number of lines when the user scrolled away; null = not scrolled away. */
  const [seenCount, setSeenCount] = useState<number | null>(null);
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
      const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX;
      // Growth never scrolls up, so an upward scroll comes from the user.
      if (latest.current.following && up && !isAtEnd) {
        setFollowing(false);
        setSeenCount(latest.current.count);
      } else if (!latest.current.following && isAtEnd && !up) setFollowing(true);
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => element.removeEventListener('scroll', onScroll);
  }, [scroll]);

  return {
    following,
    fresh: following || seenCount === null ? 0 : Math.max(0, count - seenCount),
    follow: () => setFollowing(true),
  };
}
