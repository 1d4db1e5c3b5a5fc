import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { RequestOf } from '@vidette/contract/client';
import { api } from '../../api/api.ts';
import { ownEndpoint } from './push-device.ts';

// Rules, and the targets that they notify.

const all = ['notifications'] as const;

/** The user's targets; their states are polled while they are on the screen. */
export const targetsQuery = queryOptions({
  queryKey: [...all, 'targets'],
  queryFn: ({ signal }) => api.listTargets({}, { signal }),
  refetchInterval: 5_000,
  meta: { isHandled: true },
});

/** The user's rules. */
export const rulesQuery = queryOptions({
  queryKey: [...all, 'rules'],
  queryFn: ({ signal }) => api.listRules({}, { signal }),
  refetchInterval: 10_000,
  meta: { isHandled: true },
});

export type TargetBody = RequestOf<'addTarget'>['body'];
export type RuleBody = Required<RequestOf<'addRule'>['body']>;

/** Streams to choose from, by name. */
const choicesMax = 500;
const streamChoicesQuery = queryOptions({
  queryKey: [...all, 'streams'],
  queryFn: ({ signal }) => api.listStreams({ query: { pageSize: choicesMax, sortType: 'name' } }, { signal }),
  staleTime: 30_000,
  meta: { isHandled: true },
});

/** Streams and tags that a rule can select. */
export function useRuleChoices() {
  const streams = useQuery(streamChoicesQuery);
  const tags = useQuery(
    queryOptions({
      queryKey: [...all, 'tags'],
      queryFn: ({ signal }) => api.listStreamTags({}, { signal }),
      staleTime: 30_000,
      meta: { isHandled: true },
    }),
  );
  return { streams: streams.data?.items ?? [], tags: tags.data?.items.map(({ name }) => name) ?? [] };
}

/** The key that a browser needs to subscribe. @throws ApiError */
export const fetchPushKey = async (): Promise<string> => (await api.getPushKey({})).publicKey;

/** The address of this browser's own subscription; null without one. */
export const ownEndpointQuery = queryOptions({
  queryKey: [...all, 'own-endpoint'],
  queryFn: () => ownEndpoint(window),
  meta: { isHandled: true },
});

function useRefresh() {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: all });
}

/** Adds a target, or changes one. */
export function useSaveTarget(id: number | null) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (body: TargetBody & { readonly renewSecret?: boolean }) => {
      if (id !== null) return api.saveTarget({ params: { id }, body });
      const { renewSecret: _, ...added } = body;
      return api.addTarget({ body: added });
    },
    onSuccess: refresh,
    meta: { isHandled: true },
  });
}

/** Deletes a target with what waits for it. */
export function useDeleteTarget() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (id: number) => api.deleteTarget({ params: { id } }),
    onSuccess: refresh,
    meta: { title: 'notifications.failed' },
  });
}

/** Sends a test to a target. */
export function useTestTarget() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (id: number) => api.testTarget({ params: { id } }),
    onSuccess: refresh,
    meta: { title: 'notifications.test.failed' },
  });
}

/** Adds a rule, or changes one. */
export function useSaveRule(id: number | null) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (body: RuleBody) =>
      id === null ? api.addRule({ body }) : api.saveRule({ params: { id }, body }),
    onSuccess: refresh,
    meta: { isHandled: true },
  });
}

/** Enables or disables a rule. */
export function useEnableRule() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ id, isEnabled }: { id: number; isEnabled: boolean }) =>
      api.saveRule({ params: { id }, body: { isEnabled } }),
    onSuccess: refresh,
    meta: { title: 'notifications.failed' },
  });
}

/** Deletes a rule. */
export function useDeleteRule() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (id: number) => api.deleteRule({ params: { id } }),
    onSuccess: refresh,
    meta: { title: 'notifications.failed' },
  });
}

/** What a rule would have done. */
export function usePreviewRule() {
  return useMutation({
    mutationFn: (body: RuleBody) => api.previewRule({ body }),
    meta: { isHandled: true },
  });
}
