import type { EntityManager, ObjectLiteral, ObjectType } from 'typeorm';

const lists = new Map<unknown, string>();

/**
 * Returns the columns of an entity with property names as aliases, for a raw `select` that returns such entities. Omits
 * columns with `select: false`.
 * @param alias alias of the table
 */
export function entityColumns<T extends ObjectLiteral>(
  tx: EntityManager,
  entity: ObjectType<T>,
  alias: string,
): string {
  let list = lists.get(entity);
  if (list === undefined) {
    const columns = tx.connection.getMetadata(entity).columns.filter(({ isSelect }) => isSelect);
    list = columns.map(({ databaseName, propertyName }) => `#.${databaseName} as "${propertyName}"`).join(', ');
    lists.set(entity, list);
  }
  return list.replaceAll('#.', `${alias}.`);
}
