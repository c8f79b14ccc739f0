<?php
// Fill a WordPress with the articles of a JSON list, as its editors would; prints path and query of each, by key.
// Usage: php wordpress.php ROOT THEME PERMALINKS FRONT, to install it; then php wordpress.php ROOT POSTS.json
$root = $argv[1];
$_SERVER += ['HTTP_HOST' => '127.0.0.1', 'REQUEST_URI' => '/', 'REQUEST_METHOD' => 'GET'];
define('WP_INSTALLING', $argc === 5);
function wp_new_blog_notification(...$_) {}  // WordPress would send mail

require "$root/wp-load.php";
if (WP_INSTALLING) {
    require_once ABSPATH . 'wp-admin/includes/upgrade.php';
    wp_install(getenv('WORDPRESS_TITLE'), 'admin', 'admin@example.org', true, '', 'admin');
    wp_delete_post(1, true);  // "Hello world!"
    switch_theme($argv[2]);
    update_option('permalink_structure', $argv[3]);
    update_option('timezone_string', getenv('WORDPRESS_ZONE'));
    update_option('thread_comments', 1);
    if ($argv[4]) {
        $front = ['post_type' => 'page', 'post_title' => 'Front', 'post_status' => 'publish', 'post_content' => $argv[4]];
        update_option('page_on_front', wp_insert_post($front));
        update_option('show_on_front', 'page');
    }
    exit('{}');
}
kses_remove_filters();  // editors may write any HTML
wp_defer_term_counting(true);

// What the editor puts around tables, pictures, quotations and embedded posts.
const BLOCKS = [
    '<table>' => '<figure class="wp-block-table"><table>',
    '</table>' => '</table></figure>',
    '<blockquote><p>' => '<blockquote class="wp-block-quote"><p>',
    '<figure>' => '<figure class="wp-block-image size-large">',
    '<figure class="gallery">' => '<figure class="wp-block-gallery has-nested-images columns-default is-cropped">',
    '<figcaption>' => '<figcaption class="wp-element-caption">',
];
const EMBED = '<figure class="wp-block-embed is-type-rich is-provider-twitter wp-block-embed-twitter">'
    . '<div class="wp-block-embed__wrapper">$0</div></figure>';

function content(array $post): string {
    $pages = array_map(function (string $html): string {
        $html = preg_replace('~<blockquote class="twitter-tweet">.*?</blockquote>~s', EMBED, strtr($html, BLOCKS));
        return "<!-- wp:html -->\n$html\n<!-- /wp:html -->";
    }, $post['parts'] ?: [$post['html']]);
    return implode("\n\n<!-- wp:nextpage -->\n<!--nextpage-->\n<!-- /wp:nextpage -->\n\n", $pages);
}

function term(string $name, string $taxonomy): int {
    $known = get_term_by('name', $name, $taxonomy);
    return $known ? $known->term_id : wp_insert_term($name, $taxonomy)['term_id'];
}

function author(string $name): int {
    static $known = null;
    $known ??= array_column(get_users(), 'ID', 'display_name');
    return $known[$name] ??= wp_insert_user([
        'user_login' => 'writer' . count($known), 'user_pass' => 'writes', 'display_name' => $name, 'role' => 'author',
    ]);
}

function local(string $stamp): string {
    return (new DateTime($stamp))->setTimezone(wp_timezone())->format('Y-m-d H:i:s');
}

function comments(int $id, array $post): void {
    $parent = 0;
    foreach ($post['comments'] as $comment) {
        $parent = wp_insert_comment(wp_slash([
            'comment_post_ID' => $id, 'comment_author' => $comment['name'], 'comment_content' => $comment['text'],
            'comment_date' => local($post['published']), 'comment_approved' => 1, 'comment_parent' => $parent,
        ]));
    }
}

$known = [];
foreach ($wpdb->get_results("SELECT post_id, meta_value FROM $wpdb->postmeta WHERE meta_key = '_key'") as $row) {
    $known[$row->meta_value] = (int) $row->post_id;
}
$paths = [];
foreach (json_decode(file_get_contents($argv[2]), true) as $post) {
    $state = hash('sha256', json_encode($post));
    $id = $known[$post['key']] ?? 0;
    unset($known[$post['key']]);
    if (!$id || get_post_meta($id, '_state', true) !== $state) {
        $is_new = !$id;
        $id = wp_insert_post(wp_slash([
            'ID' => $id,
            'post_title' => $post['title'],
            'post_name' => $post['slug'],
            'post_content' => content($post),
            'post_excerpt' => $post['excerpt'],
            'post_status' => $post['kind'] === 'scheduled' ? 'future' : 'publish',
            'post_password' => $post['kind'] === 'protected' ? 'secret' : '',
            'post_date' => local($post['published']),
            'post_author' => author($post['authors'][0]),
            'post_category' => [term($post['section'], 'category')],
            'tags_input' => array_map(fn ($tag) => term($tag, 'post_tag'), $post['tags']),
            'meta_input' => ['_key' => $post['key'], '_state' => $state],
        ]));
        $modified = ['post_modified' => local($post['modified']), 'post_modified_gmt' => get_gmt_from_date(local($post['modified']))];
        $wpdb->update($wpdb->posts, $modified, ['ID' => $id]);
        if ($post['kind'] === 'sticky') {
            stick_post($id);
        }
        if ($is_new) {
            comments($id, $post);
        }
        clean_post_cache($id);
    }
    $paths[$post['key']] = substr(get_permalink($id), strlen(home_url()));
}
foreach ($known as $id) {
    wp_delete_post($id, true);
}
wp_defer_term_counting(false);
flush_rewrite_rules(false);
echo json_encode($paths);
