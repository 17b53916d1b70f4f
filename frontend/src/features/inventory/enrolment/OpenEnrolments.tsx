import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { enrolmentsQuery } from '../../../api/queries/inventory/enrolments';
import { plural } from '../../../ui/format/format';
import { AnchorLink } from '../../../ui/page/links';

export function OpenEnrolments() {
  const { data, hasNextPage } = useInfiniteQuery(enrolmentsQuery(true));
  const count = data?.pages.reduce((sum, { items }) => sum + items.length, 0) ?? 0;
  if (count === 0) return null;
  return (
    <Text mb="sm" c="dimmed" component="div">
      {hasNextPage ? `More than ${plural(count, 'host')}` : plural(count, 'host')} can still enrol:{' '}
      <AnchorLink to="/servers/enrolments" search={{ show: 'open' }} underline="always">
        open enrolments
      </AnchorLink>
    </Text>
  );
}
