import type { NotificationStills } from '../../events/notification-stills.ts';
import type { RuleService } from '../../events/rule-service.ts';
import type { TargetService } from '../../events/target-service.ts';
import type { Registrar } from '../registrar.ts';
import { wholeList } from '../whole-list.ts';

/** The dependencies of the calls for rules and the targets of notifications. */
export interface NotificationServices {
  readonly targetService: TargetService;
  readonly ruleService: RuleService;
  readonly notificationStills: Pick<NotificationStills, 'open'>;
}

/** Rules, and the targets that they notify. */
export function registerNotifications(
  registrar: Registrar,
  { targetService, ruleService, notificationStills }: NotificationServices,
): void {
  registrar.handle('listTargets', async ({ principal }) => wholeList(await targetService.list(principal)));
  registrar.handle('addTarget', ({ principal, body, audit }) => targetService.add(principal, body, audit));
  registrar.handle('saveTarget', ({ principal, params, body, audit }) =>
    targetService.save(principal, params.id, body, audit),
  );
  registrar.handle('deleteTarget', async ({ principal, params, audit }) => {
    await targetService.remove(principal, params.id, audit);
    return {};
  });
  registrar.handle('testTarget', ({ principal, params, audit }) =>
    targetService.test(principal, params.id, audit),
  );
  registrar.handle('getPushKey', () => Promise.resolve({ publicKey: targetService.publicPushKey }));
  registrar.handle('renewPushDevice', async ({ body, audit }) => {
    await targetService.renewDevice(body, audit);
    return {};
  });
  registrar.handle('getNotificationStill', async ({ params }) => ({
    contentType: 'image/jpeg',
    body: await notificationStills.open(params.key),
  }));

  registrar.handle('listRules', async ({ principal }) => wholeList(await ruleService.list(principal)));
  registrar.handle('addRule', ({ principal, body, audit }) => ruleService.add(principal, body, audit));
  registrar.handle('previewRule', ({ principal, body }) => ruleService.preview(principal, body));
  registrar.handle('saveRule', ({ principal, params, body, audit }) =>
    ruleService.save(principal, params.id, body, audit),
  );
  registrar.handle('deleteRule', async ({ principal, params, audit }) => {
    await ruleService.remove(principal, params.id, audit);
    return {};
  });
}
