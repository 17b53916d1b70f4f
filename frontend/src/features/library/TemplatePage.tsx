import { Button, Tabs } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconTrash } from '@tabler/icons-react';
import { Can } from '../../access/Can';
import {
  templateQuery,
  templateRevisionQuery,
  templateRevisionsQuery,
  useDeleteTemplate,
  useUpdateTemplate,
} from '../../api/queries/templates';
import type { Template } from '../../api/types';
import { ConfirmDialog } from '../../ui/ConfirmDialog';
import { ErrorPanel } from '../../ui/ErrorPanel';
import { AnchorLink } from '../../ui/links';
import { PageHeader } from '../../ui/PageHeader';
import { PageSkeleton } from '../../ui/Skeletons';
import { RecordEditor } from './RecordEditor';
import { RecordRevisions, RevisionContent } from './RecordRevisions';
import { TemplatePreview } from './TemplatePreview';
import { templateOf } from './record-form';

const route = getRouteApi('/app/templates/$id');

export function TemplatePage() {
  const { id } = route.useParams();
  // A refetch in the background must not change a form that somebody types in; saving finds out about other changes.
  const template = useQuery({ ...templateQuery(id), refetchOnWindowFocus: false, staleTime: 0 });
  if (template.data && template.isFetchedAfterMount) return <TemplateView key={id} template={template.data} />;
  if (!template.error) return <PageSkeleton />;
  return (
    <>
      <PageHeader title="Template" />
      <ErrorPanel error={template.error} onRetry={() => void template.refetch()} />
    </>
  );
}

function TemplateView({ template }: { template: Template }) {
  const { id } = template;
  const { tab = 'edit' } = route.useSearch();
  const navigate = useNavigate({ from: '/templates/$id' });
  const [deleting, { open, close }] = useDisclosure();
  const remove = useDeleteTemplate();
  const update = useUpdateTemplate(id);
  const latest = useQuery({ ...templateQuery(id), enabled: false });
  const choose = (next: string | null) =>
    void navigate({ search: { tab: next === 'preview' || next === 'revisions' ? next : undefined } });
  return (
    <>
      <PageHeader
        title={template.name}
        above={
          <AnchorLink to="/templates" size="xs">
            Templates
          </AnchorLink>
        }
        description={`Revision ${template.revision}`}
        actions={
          <Can role="operator">
            <Button variant="default" leftSection={<IconTrash size={15} aria-hidden />} onClick={open}>
              Delete
            </Button>
          </Can>
        }
      />
      <Tabs value={tab} onChange={choose} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="edit">Template</Tabs.Tab>
          <Tabs.Tab value="preview">Preview</Tabs.Tab>
          <Tabs.Tab value="revisions">Revisions</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="edit" keepMounted>
          <RecordEditor
            kind="template"
            record={template}
            pending={update.isPending}
            save={({ version, form }, ends) => update.mutate({ version, body: templateOf(form) }, ends)}
            reload={() => latest.refetch().then(({ data }) => data)}
          />
        </Tabs.Panel>
        <Tabs.Panel value="preview">
          <TemplatePreview template={template} />
        </Tabs.Panel>
        <Tabs.Panel value="revisions">
          <Revisions id={id} />
        </Tabs.Panel>
      </Tabs>
      <ConfirmDialog
        opened={deleting}
        title={`Delete ${template.name}?`}
        confirm="Delete template"
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() =>
          remove.mutate(template, { onSuccess: () => void navigate({ to: '/templates', ignoreBlocker: true }) })
        }
        onClose={() => {
          remove.reset();
          close();
        }}
      >
        It goes away with its revisions. A template that plans use can’t be deleted; runs keep what they began with.
      </ConfirmDialog>
    </>
  );
}

function Revisions({ id }: { id: string }) {
  const { revision } = route.useSearch();
  const navigate = useNavigate({ from: '/templates/$id' });
  const revisions = useInfiniteQuery(templateRevisionsQuery(id));
  return (
    <RecordRevisions
      revisions={revisions.data?.pages.flatMap((page) => page.items)}
      error={revisions.error}
      onRetry={() => void revisions.refetch()}
      more={{
        has: revisions.hasNextPage,
        pending: revisions.isFetchingNextPage,
        load: () => void revisions.fetchNextPage(),
      }}
      open={revision}
      onOpen={(next) => void navigate({ search: (before) => ({ ...before, revision: next }), replace: true })}
      content={(number) => <Content id={id} number={number} />}
    />
  );
}

function Content({ id, number }: { id: string; number: number }) {
  return <RevisionContent query={useQuery(templateRevisionQuery(id, number))} />;
}
