import { ActionIcon, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconStar, IconStarFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { toProblem } from '../../api/errors';
import { bookmarksQuery, useCreateBookmark, useDeleteBookmark } from '../../api/queries/access/bookmarks';

/** Adds the page of a record to the member's favourites, or removes it. */
export function FavouriteButton({ name }: { name: string }) {
  const path = useLocation({ select: ({ pathname }) => pathname });
  const { data } = useQuery(bookmarksQuery);
  const create = useCreateBookmark();
  const remove = useDeleteBookmark();
  const bookmark = data?.items.find((each) => each.path === path);
  const onError = (error: unknown) => notifications.show({ color: 'red', message: toProblem(error).message });
  const toggle = () =>
    bookmark ? remove.mutate(bookmark.id, { onError }) : create.mutate({ name, path }, { onError });
  const label = bookmark ? 'Remove from favourites' : 'Add to favourites';
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={label}
        aria-pressed={bookmark !== undefined}
        loading={create.isPending || remove.isPending}
        disabled={data === undefined}
        onClick={toggle}
      >
        {bookmark ? <IconStarFilled size={16} aria-hidden /> : <IconStar size={16} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
}
