// The style sheets that every screen needs. Mantine’s are in a layer of their own, so that ours win in whatever
// order the chunks of a build arrive (CSS Cascading and Inheritance 5, section 6.4).
import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import './theme.css';
