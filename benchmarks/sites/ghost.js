// Make the database of a Ghost site hold exactly the posts of a file: node ghost.js GHOST POSTS THEME TITLE ZONE
const fs = require('fs');
const [root, file, theme, title, zone] = process.argv.slice(2);

async function fill() {
    require(`${root}/core/server/overrides`);
    const States = require(`${root}/core/server/data/db/DatabaseStateManager`);
    await new States({knexMigratorFilePath: root}).makeReady();
    const models = require(`${root}/core/server/models`);
    models.init();
    await require(`${root}/core/server/services/settings/settings-service`).init();
    const knex = require(`${root}/core/server/data/db/connection`);
    const {htmlToLexicalConverter} = require(`${root}/core/server/lib/lexical`);
    for (const [key, value] of Object.entries({active_theme: theme, title, timezone: zone})) {
        await knex('settings').where({key}).update({value});
    }

    const internal = {context: {internal: true}, importing: true};
    const now = new Date();
    const known = {User: {}, Tag: {}};
    async function idOf(model, name, more) {
        if (!known[model][name]) {
            const found = await models[model].findOne({name}, internal);
            const made = found || await models[model].add({name, created_at: now, updated_at: now, ...more}, internal);
            known[model][name] = {id: made.id};
        }
        return known[model][name];
    }

    const posts = JSON.parse(fs.readFileSync(file, 'utf-8'));
    const slugs = new Set(posts.map(post => post.slug));
    for (const {id, slug} of await knex('posts').where({type: 'post'}).select('id', 'slug')) {
        if (!slugs.has(slug)) {
            await models.Post.destroy({...internal, id});
        }
    }
    const role = await models.Role.findOne({name: 'Author'}, internal);
    for (const post of posts) {
        const data = {
            title: post.title,
            slug: post.slug,
            lexical: JSON.stringify(htmlToLexicalConverter(post.html)),
            status: post.kind === 'scheduled' ? 'scheduled' : 'published',
            visibility: post.kind === 'protected' ? 'members' : 'public',
            featured: post.kind === 'sticky',
            published_at: new Date(post.published),
            created_at: new Date(post.published),
            updated_at: new Date(post.modified),
            authors: [],
            tags: [],
        };
        for (const name of post.authors) {
            const email = `u${Object.keys(known.User).length}@example.org`;
            data.authors.push(await idOf('User', name, {email, password: 'Loopback-Herald-29', roles: [role.id]}));
        }
        for (const name of [post.section, ...post.tags]) {
            data.tags.push(await idOf('Tag', name));
        }
        const found = await models.Post.findOne({slug: post.slug, status: 'all'}, internal);
        if (!found) {
            await models.Post.add(data, internal);
        } else if (found.get('title') !== post.title) {
            // an edit must name the time of the version that it replaces
            await models.Post.edit({...data, updated_at: found.get('updated_at')}, {...internal, id: found.id});
            const updated_at = data.updated_at.toISOString().slice(0, 19).replace('T', ' ');
            await knex('posts').where({id: found.id}).update({updated_at});
        }
    }
}

fill().then(() => process.exit(0), (error) => {
    console.error(error);
    process.exit(1);
});
