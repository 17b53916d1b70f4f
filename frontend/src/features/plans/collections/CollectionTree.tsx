import { ActionIcon, Text } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconFolder, IconFolderOff, IconListCheck } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { Collection } from '../../../api/types';
import { type CollectionNode, treeOf } from '../../../ui/collections/collection-tree';
import { FrozenBadge } from '../../../ui/collections/FrozenBadge';
import { plural } from '../../../ui/format/format';
import { PlainLink } from '../../../ui/page/links';
import classes from './collections.module.css';

/** Value of the URL parameter for plans without a collection. */
export const NO_COLLECTION = 'none';
/** Maximum number of collections for an initially expanded tree. */
const MAX_INITIALLY_OPEN = 30;

interface Props {
  collections: readonly Collection[];
  /** Collection ID or `NO_COLLECTION`; undefined: all plans. */
  selected: string | undefined;
}

/** Shows collections as links that filter the plans. */
export function CollectionTree({ collections, selected }: Props) {
  const [toggledIds, setToggledIds] = useState<ReadonlyMap<string, boolean>>(new Map());
  const ancestors = collections.find(({ id }) => id === selected)?.path.map(({ id }) => id) ?? [];
  const isOpen = (id: string) =>
    toggledIds.get(id) ?? (collections.length <= MAX_INITIALLY_OPEN || ancestors.includes(id));
  const toggle = (id: string) => setToggledIds((before) => new Map(before).set(id, !isOpen(id)));

  const branch = (nodes: readonly CollectionNode[]): ReactNode =>
    nodes.map(({ collection, inside }) => {
      const { id, name, totalPlanCount, frozenBy } = collection;
      const open = isOpen(id);
      const Chevron = open ? IconChevronDown : IconChevronRight;
      return (
        <li key={id}>
          <div className={classes.row}>
            {inside.length > 0 ? (
              <ActionIcon
                variant="subtle"
                color="gray"
                size={24}
                aria-expanded={open}
                aria-label={`${open ? 'Collapse' : 'Expand'} ${name}`}
                onClick={() => toggle(id)}
              >
                <Chevron size={14} aria-hidden />
              </ActionIcon>
            ) : (
              <span className={classes.leaf} />
            )}
            <Place collection={id} icon={<IconFolder size={15} aria-hidden />}>
              <span className={classes.name}>{name}</span>
              <FrozenBadge freeze={frozenBy} short />
              <Text span size="xs" c="dimmed" title={plural(totalPlanCount, 'plan')}>
                {totalPlanCount.toLocaleString('en')}
              </Text>
            </Place>
          </div>
          {inside.length > 0 && open && <ul className={classes.inside}>{branch(inside)}</ul>}
        </li>
      );
    });

  return (
    <nav aria-label="Collections">
      <ul className={classes.tree}>
        <li className={classes.row}>
          <Place collection={undefined} icon={<IconListCheck size={15} aria-hidden />}>
            <span className={classes.name}>All plans</span>
          </Place>
        </li>
        {branch(treeOf(collections))}
        {collections.length > 0 && (
          <li className={classes.row}>
            <Place collection={NO_COLLECTION} icon={<IconFolderOff size={15} aria-hidden />}>
              <span className={classes.name}>Without a collection</span>
            </Place>
          </li>
        )}
      </ul>
    </nav>
  );
}

interface PlaceProps {
  collection: string | undefined;
  icon: ReactNode;
  children: ReactNode;
}

const Place = ({ collection, icon, children }: PlaceProps) => (
  <PlainLink
    to="/plans"
    search={(before) => ({ ...before, collection })}
    className={classes.place}
    // Otherwise the link to all plans would also be active when a collection is selected.
    activeOptions={{ explicitUndefined: true }}
  >
    {icon}
    {children}
  </PlainLink>
);
