import { Text } from '@mantine/core';
import { IconStar } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { bookmarksQuery } from '../../api/queries/access/bookmarks';
import { BookmarkLink } from '../../ui/bookmarks/BookmarkLink';
import { favouritesOf } from '../../ui/bookmarks/saved-filters';
import classes from './shell.module.css';

/** The command palette lists all of them. */
const MAX_SHOWN = 10;

export function FavouriteLinks({ onNavigate }: { onNavigate: () => void }) {
  const { data } = useQuery(bookmarksQuery);
  const path = useLocation({ select: ({ pathname }) => pathname });
  const favourites = favouritesOf(data?.items ?? []).slice(0, MAX_SHOWN);
  if (favourites.length === 0) return null;
  return (
    <li>
      <Text component="h2" className={classes.group} id="rw-favourites">
        Favourites
      </Text>
      <ul className="rw-plain-list" aria-labelledby="rw-favourites">
        {favourites.map((each) => (
          <li key={each.id}>
            <BookmarkLink
              path={each.path}
              onOpen={onNavigate}
              underline="never"
              className={classes.favourite}
              title={each.name}
              {...(each.path === path ? { 'aria-current': 'true' } : {})}
            >
              <IconStar size={15} stroke={1.8} aria-hidden />
              <span>{each.name}</span>
            </BookmarkLink>
          </li>
        ))}
      </ul>
    </li>
  );
}
