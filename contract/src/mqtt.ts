// Topics of MQTT, apart from the constants that every screen of the page loads.

/** Levels of a topic, separated by slashes: no wildcards, no empty level, none that begins with `$`. */
export const mqttTopicPattern = /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/;

/** Of the topic of a target, below the server's own topics; characters. */
export const mqttTopicMaxLength = 100;
