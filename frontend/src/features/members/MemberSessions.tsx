import { useQuery } from '@tanstack/react-query';
import { memberQuery } from '../../api/queries/access/members';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { SessionsTable } from '../../ui/members/SessionsTable';
import { FormDrawer } from '../../ui/forms/FormOverlay';

export function MemberSessions({ id, onClose }: { id: string; onClose: () => void }) {
  const member = useQuery(memberQuery(id));
  return (
    <FormDrawer opened onClose={onClose} title={`Sessions of ${member.data?.name ?? 'a member'}`} size="lg">
      {member.error ? (
        <ErrorPanel error={member.error} onRetry={() => void member.refetch()} />
      ) : (
        <SessionsTable memberId={id} memberName={member.data?.name} />
      )}
    </FormDrawer>
  );
}
