import { Badge, Stack } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { useAccess } from '../../access/useAccess';
import { NavItemLink } from '../../ui/page/links';
import { AREAS, type Area, isWithin, type MenuPage, pagesOf } from './areas';
import { FavouriteLinks } from './FavouriteLinks';
import classes from './shell.module.css';
import { useEnvironmentChoice } from './useEnvironmentChoice';
import { useWaiting } from './useWaiting';

/** Links to the five areas. The open area shows its pages. */
export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const { can } = useAccess();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const { searchFor } = useEnvironmentChoice();
  const waiting = useWaiting();
  const link = (page: MenuPage) => ({ to: page.to, search: searchFor(page) });
  const areas = AREAS.map((area) => ({ area, pages: pagesOf(area, can) })).filter(({ pages }) => pages.length > 0);
  return (
    <Stack gap={1} component="ul" className="rw-plain-list">
      {areas.map(({ area, pages }) => {
        const first = pages[0] as MenuPage;
        const open = isOpen(area, path);
        return (
          <li key={area.label}>
            <NavItemLink
              {...link(first)}
              // On a phone the menu stays open for a choice among the pages.
              onClick={pages.length === 1 ? onNavigate : undefined}
              label={area.label}
              className={classes.item}
              data-opened={(open && pages.length > 1) || undefined}
              leftSection={<area.icon size={18} stroke={1.8} aria-hidden />}
              activeOptions={{ exact: first.to === '/', includeSearch: false }}
              {...(first.to === '/' && waiting
                ? { rightSection: <Badge aria-hidden>{waiting.label}</Badge>, 'aria-description': waiting.description }
                : {})}
            />
            {open && pages.length > 1 && (
              <Stack gap={1} component="ul" className={`rw-plain-list ${classes.pages}`}>
                {pages.map((page) => (
                  <li key={page.to}>
                    <NavItemLink
                      {...link(page)}
                      onClick={onNavigate}
                      label={page.label}
                      className={classes.item}
                      activeOptions={{ includeSearch: false }}
                    />
                  </li>
                ))}
              </Stack>
            )}
          </li>
        );
      })}
      <FavouriteLinks onNavigate={onNavigate} />
    </Stack>
  );
}

const isOpen = (area: Area, path: string): boolean => area.pages.some((page) => isWithin(path, page));
