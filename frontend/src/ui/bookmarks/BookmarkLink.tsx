import { Anchor, type AnchorProps } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';

interface Props extends AnchorProps {
  /** Path within the dashboard, with its search parameters. */
  path: string;
  onOpen?: () => void;
  children: ReactNode;
  'aria-current'?: 'true';
  title?: string;
}

/** Link to a stored path. The router's own links take a route and its parameters instead. */
export function BookmarkLink({ path, onOpen, ...props }: Props) {
  const { history } = useRouter();
  const open = (event: MouseEvent) => {
    onOpen?.();
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    event.preventDefault();
    history.push(path);
  };
  return <Anchor href={path} onClick={open} {...props} />;
}
